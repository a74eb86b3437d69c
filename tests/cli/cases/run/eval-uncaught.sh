ubiheap run -e 'throw "no"'

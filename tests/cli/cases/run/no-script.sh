ubiheap run --snapshot-at exit

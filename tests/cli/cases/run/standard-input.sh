echo 'print("from standard input", scriptArgs)' | ubiheap run - x

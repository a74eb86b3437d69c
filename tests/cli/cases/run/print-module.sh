ubiheap run --module -p 1

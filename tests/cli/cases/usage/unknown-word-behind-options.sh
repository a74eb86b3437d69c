ubiheap --json reprot
ubiheap --json nowhere.heapsnapshot

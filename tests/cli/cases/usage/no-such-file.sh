ubiheap nowhere.heapsnapshot
ubiheap report nowhere.heapsnapshot
ubiheap .

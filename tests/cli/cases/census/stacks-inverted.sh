ubiheap census -b invertedAllocationStack -n 3 -d 2 tiny-before.fxsnapshot

ubiheap census -b allocationStack -n 3 -d 4 tiny-before.fxsnapshot

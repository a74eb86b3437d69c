ubiheap report two.fxsnapshot

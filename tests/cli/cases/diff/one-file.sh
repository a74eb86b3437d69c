ubiheap diff two.fxsnapshot

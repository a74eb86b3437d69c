ubiheap report hostile.fxsnapshot

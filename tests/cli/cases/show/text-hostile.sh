ubiheap show hostile.fxsnapshot 10

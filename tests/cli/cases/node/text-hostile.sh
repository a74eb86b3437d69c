ubiheap node hostile.fxsnapshot 10

ubiheap census hostile.fxsnapshot

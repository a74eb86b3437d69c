ubiheap summary hostile.fxsnapshot

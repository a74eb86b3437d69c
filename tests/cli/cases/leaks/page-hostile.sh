ubiheap leaks two.fxsnapshot hostile.fxsnapshot

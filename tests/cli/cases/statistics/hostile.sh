ubiheap statistics hostile.fxsnapshot

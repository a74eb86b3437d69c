ubiheap leaks --allow-other-process two.fxsnapshot hostile.fxsnapshot

ubiheap node tiny-before.fxsnapshot

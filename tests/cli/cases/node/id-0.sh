ubiheap node tiny-before.fxsnapshot 0

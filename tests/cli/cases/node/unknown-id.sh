ubiheap node tiny-before.fxsnapshot 12345

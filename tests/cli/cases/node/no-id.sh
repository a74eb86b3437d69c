ubiheap node tiny-before.fxsnapshot store

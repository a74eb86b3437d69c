ubiheap node tiny-before.fxsnapshot 139636186393600

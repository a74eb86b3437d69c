ubiheap show tiny-before.fxsnapshot 139636186393600

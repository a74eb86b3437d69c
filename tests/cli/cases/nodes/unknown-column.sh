ubiheap nodes -c id,rawsize tiny-before.fxsnapshot

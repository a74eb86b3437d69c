ubiheap dominators - < two.fxsnapshot

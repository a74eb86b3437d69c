ubiheap diff - - < two.fxsnapshot

ubiheap show - 2 < two.fxsnapshot

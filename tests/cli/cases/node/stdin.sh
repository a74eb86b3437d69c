ubiheap node - 2 < two.fxsnapshot

ubiheap report - < two.fxsnapshot | tail -n 3

ubiheap report --color=always two.fxsnapshot

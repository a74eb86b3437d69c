ubiheap treemap --format text --color=always two.fxsnapshot

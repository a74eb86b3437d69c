ubiheap treemap --format text -o map.txt two.fxsnapshot

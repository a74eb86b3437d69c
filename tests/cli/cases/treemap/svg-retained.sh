ubiheap treemap --width 200 --height 120 --by retained two.fxsnapshot

ubiheap treemap --width 300 --height 200 -b objectClass hostile.fxsnapshot

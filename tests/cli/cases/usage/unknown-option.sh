ubiheap census --brekdown count tiny-before.fxsnapshot

ubiheap nodes -c id,,rawSize tiny-before.fxsnapshot

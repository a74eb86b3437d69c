ubiheap nodes -n 1 -c className --fail-on 'matches == 7199' tiny-before.fxsnapshot

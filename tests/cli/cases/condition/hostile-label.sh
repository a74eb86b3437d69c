ubiheap census -b count --fail-on 'count("\u{1b}]0;owned\u{7}\u{1b}[31mred") == 1' hostile.fxsnapshot

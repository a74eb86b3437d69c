ubiheap nodes -w 'scriptFilename ~ /app\.js$/' -n 2 -c ordinal,scriptFilename tiny-before.fxsnapshot

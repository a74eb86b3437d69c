ubiheap convert -c none node20-before.heapsnapshot.gz out.fxsnapshot
ubiheap info out.fxsnapshot | grep -E "^(Nodes|Edges|Reachable|Carries)"
ubiheap convert --json -c none --all-edges --raw-sizes node20-before.heapsnapshot.gz out.fxsnapshot | tr , "\n" | grep -E "Edges|Count|format"

ubiheap dominators --json --depth 0 --siblings 0 tiny-before.fxsnapshot | tr "{" "\n" | grep -c nodeId

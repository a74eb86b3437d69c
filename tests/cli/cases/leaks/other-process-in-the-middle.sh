ubiheap leaks --json leak-1.heapsnapshot other-1.heapsnapshot leak-3.heapsnapshot | python3 -c "import json, sys; print([h['fit'] for h in json.load(sys.stdin)['heaps']])"

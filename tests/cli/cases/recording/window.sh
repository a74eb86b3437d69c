ubiheap report --from 400 --to 0.6s --no-symbols server.ubirec
ubiheap report --at 755ms --limit 2 --no-symbols server.ubirec
ubiheap report --at 0.3s --format csv --no-symbols server.ubirec
ubiheap report --from 2s --no-symbols sampled.ubirec
ubiheap report --from 9s --no-symbols server.ubirec | sed -n '/^Notes/,/^$/p'
ubiheap allocations --from 400 --to 600 --by live --limit 3 server.ubirec
ubiheap flamegraph --format text --at 755 server.ubirec
ubiheap report --from 2s --to 1s server.ubirec; echo $?
ubiheap report --at 1s --to 2s server.ubirec; echo $?
ubiheap flamegraph --at soon server.ubirec; echo $?
ubiheap export --format tables --from 1s --to 1s server.ubirec; echo $?
ubiheap report --by live server.ubirec; echo $?
ubiheap report --at 1s two.fxsnapshot; echo $?
ubiheap allocations --to 1s two.fxsnapshot; echo $?
ubiheap report --fail-on 'leaked > 1KiB' --from 400 --to 600 server.ubirec > page; echo $?

cat > s.js <<'JS'
print("before");
function f() {
    throw new TypeError("no");
}
f();
JS
ubiheap run s.js

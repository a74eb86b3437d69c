cat > s.js <<'JS'
async function f() {
    await null;
    throw new Error("nobody listens");
}
f();
setTimeout(() => print("not reached"), 1);
JS
ubiheap run s.js

;; A guest that keeps the types of the world and misbehaves on request. The
;; first byte of what `wrap` is given says how:
;;
;;   t  traps                       m  takes memory until there is no more
;;   l  loops for ever              g  takes 2 MiB, then echoes
;;   u  answers invalid UTF-8       a  answers 4096 bytes
;;   n  answers how many calls this instance has had, as one digit
;;
;; Any other content is echoed. A writer echoes its chunks. `read-messages`
;; traps for the limit 13, else answers an empty page whose total is the number
;; of calls. Whatever else the world exports is added when the module is encoded,
;; and traps.
(module
  (import "[export]murmur:fence/fence@0.1.0" "[resource-new]writer"
    (func $writer-new (param i32) (result i32)))
  ;;IMPORTS
  (memory (export "memory") 1)
  (global $next (mut i32) (i32.const 4096))
  (global $calls (mut i32) (i32.const 0))

  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32) (local $end i32)
    (local.set $at
      (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
    (local.set $end (i32.add (local.get $at) (local.get 3)))
    (if (i32.gt_u (local.get $end) (i32.mul (memory.size) (i32.const 65536)))
      (then
        (if (i32.eq (i32.const -1)
              (memory.grow
                (i32.add (i32.const 1)
                  (i32.shr_u (local.get 3) (i32.const 16)))))
          (then unreachable))))
    (global.set $next (local.get $end))
    (local.get $at))

  (func $answer (param $ptr i32) (param $len i32) (result i32)
    (i32.store (i32.const 16) (local.get $ptr))
    (i32.store (i32.const 20) (local.get $len))
    (i32.const 16))

  (func (export "murmur:fence/fence@0.1.0#wrap")
      (param i32 i32) (param $ptr i32) (param $len i32) (result i32)
    (local $how i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (if (i32.eqz (local.get $len))
      (then (return (call $answer (i32.const 0) (i32.const 0)))))
    (local.set $how (i32.load8_u (local.get $ptr)))
    (if (i32.eq (local.get $how) (i32.const 0x74)) (then unreachable))
    (if (i32.eq (local.get $how) (i32.const 0x6c)) (then (loop $ever (br $ever))))
    (if (i32.eq (local.get $how) (i32.const 0x6d))
      (then
        (loop $more
          (br_if $more (i32.ne (i32.const -1) (memory.grow (i32.const 1)))))
        unreachable))
    (if (i32.eq (local.get $how) (i32.const 0x67))
      (then (drop (memory.grow (i32.const 32)))))
    (if (i32.eq (local.get $how) (i32.const 0x75))
      (then
        (i32.store8 (i32.const 32) (i32.const 0xff))
        (return (call $answer (i32.const 32) (i32.const 1)))))
    (if (i32.eq (local.get $how) (i32.const 0x61))
      (then (return (call $answer (i32.const 0) (i32.const 4096)))))
    (if (i32.eq (local.get $how) (i32.const 0x6e))
      (then
        (i32.store8 (i32.const 32)
          (i32.add (i32.const 0x30) (global.get $calls)))
        (return (call $answer (i32.const 32) (i32.const 1)))))
    (call $answer (local.get $ptr) (local.get $len)))

  (func (export "murmur:fence/fence@0.1.0#[constructor]writer")
      (param i32 i32) (result i32)
    (call $writer-new (i32.const 1)))
  (func (export "murmur:fence/fence@0.1.0#[method]writer.write")
      (param i32) (param $ptr i32) (param $len i32) (result i32)
    (drop (call $answer (local.get $ptr) (local.get $len)))
    (i32.store (i32.const 12) (i32.const 0))
    (i32.const 12))
  (func (export "murmur:fence/fence@0.1.0#[method]writer.finish")
      (param i32) (result i32)
    ;; The error `finished`.
    (i32.store (i32.const 12) (i32.const 1))
    (i32.store (i32.const 16) (i32.const 0))
    (i32.const 12))


  (func $read (param i32 i32 i32) (param $limit i32) (result i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (if (i32.eq (local.get $limit) (i32.const 13)) (then unreachable))
    ;; ok({messages: [], next-cursor: none, total: calls})
    (i32.store (i32.const 40) (i32.const 0))
    (i64.store (i32.const 44) (i64.const 0))
    (i64.store (i32.const 52) (i64.const 0))
    (i32.store (i32.const 60) (i32.const 0))
    (i32.store (i32.const 64) (global.get $calls))
    (i32.const 40))
  ;;EXPORTS
)

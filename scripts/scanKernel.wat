;; The inner loop of the exact vector index: dot products of one int8 query with many int8
;; rows, 16 lanes at a time. `node scripts/buildScanKernel.mjs` assembles it into
;; src/engine/vectorIndex/exact/scanKernelBytes.ts; a test compares the bytes and checks the
;; results against plain typed arrays.
(module
  (memory (export "memory") 1)
  ;; Rows lie one after the other, `stride` bytes each (a multiple of 16), like the query.
  ;; out[i] = scale[i] * sum(query[j] * row[i][j]); the caller multiplies by the query's own scale.
  (func (export "scan")
    (param $query i32) (param $rows i32) (param $scales i32) (param $out i32) (param $count i32) (param $stride i32)
    (local $j i32) (local $q v128) (local $r v128) (local $sum v128)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $j (i32.const 0))
        (loop $lane
          (local.set $q (v128.load (i32.add (local.get $query) (local.get $j))))
          (local.set $r (v128.load (i32.add (local.get $rows) (local.get $j))))
          ;; Products are at most 127 * 127 and fit 16 bits; pairs are added in 32.
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_low_i8x16_s (local.get $q) (local.get $r)))))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_high_i8x16_s (local.get $q) (local.get $r)))))
          (local.set $j (i32.add (local.get $j) (i32.const 16)))
          (br_if $lane (i32.lt_u (local.get $j) (local.get $stride))))
        (f32.store (local.get $out)
          (f32.mul (f32.load (local.get $scales))
            (f32.convert_i32_s
              (i32.add
                (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
                (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))))

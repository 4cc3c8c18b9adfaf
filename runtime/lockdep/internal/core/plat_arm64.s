#include "textflag.h"

// func where(goidOff uintptr) (gp uintptr, goid uint64)
TEXT ·where(SB), NOSPLIT, $0-24
	MOVD goidOff+0(FP), R0
	MOVD g, gp+8(FP)
	MOVD (g)(R0), R1
	MOVD R1, goid+16(FP)
	RET

// func Caller() uintptr
TEXT ·Caller(SB), NOSPLIT, $0-8
	MOVD  $0, R0
	MOVBU ·callerMode(SB), R1
	CBNZ  R1, special
	MOVD  R29, R2
	MOVD  ·wrapperReturn(SB), R3
	CMP   R3, R30
	BNE   direct
	MOVD  (R2), R2
direct:
	MOVD 8(R2), R0
	MOVD R0, ret+0(FP)
	RET
special:
	CMP $2, R1
	BNE slow
	MOVD R30, R0
slow:
	MOVD R0, ret+0(FP)
	RET

// func walk(buf *uintptr, max int) int
TEXT ·walk(SB), NOSPLIT, $0-24
	MOVD buf+0(FP), R0
	MOVD max+8(FP), R1
	MOVD 0(g), R2 // g.stack.lo
	MOVD 8(g), R3 // g.stack.hi
	SUB  $16, R3, R3
	MOVD R29, R4
	MOVD $0, R5
next:
	CMP  R1, R5
	BGE  end
	CMP  R2, R4
	BLO  end
	CMP  R3, R4
	BHI  end
	MOVD 8(R4), R6
	CBZ  R6, end
	MOVD R6, (R0)
	ADD  $8, R0, R0
	ADD  $1, R5, R5
	MOVD (R4), R7
	CMP  R4, R7
	BLS  end // frames must go up
	MOVD R7, R4
	JMP  next
end:
	MOVD R5, ret+16(FP)
	RET

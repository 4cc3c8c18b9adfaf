#include "textflag.h"

// func where(goidOff uintptr) (gp uintptr, goid uint64)
TEXT ·where(SB), NOSPLIT, $0-24
	MOVQ goidOff+0(FP), CX
	MOVQ (TLS), AX
	MOVQ AX, gp+8(FP)
	MOVQ 0(AX)(CX*1), DX
	MOVQ DX, goid+16(FP)
	RET

// func Caller() uintptr
TEXT ·Caller(SB), NOSPLIT, $0-8
	MOVQ 0(SP), CX // return address
	MOVQ $0, ret+0(FP)
	CMPB ·callerMode(SB), $0
	JNE  special
	MOVQ BP, AX
	CMPQ CX, ·wrapperReturn(SB)
	JNE  direct
	MOVQ (AX), AX
direct:
	MOVQ 8(AX), AX
	MOVQ AX, ret+0(FP)
	RET
special:
	CMPB ·callerMode(SB), $2
	JNE  slow
	MOVQ CX, ret+0(FP)
slow:
	RET

// func walk(buf *uintptr, max int) int
TEXT ·walk(SB), NOSPLIT, $0-24
	MOVQ buf+0(FP), DI
	MOVQ max+8(FP), CX
	MOVQ (TLS), R8
	MOVQ 0(R8), R9  // g.stack.lo
	MOVQ 8(R8), R10 // g.stack.hi
	SUBQ $16, R10
	MOVQ BP, AX
	XORQ DX, DX
next:
	CMPQ DX, CX
	JGE  end
	CMPQ AX, R9
	JCS  end
	CMPQ AX, R10
	JHI  end
	MOVQ 8(AX), R11
	TESTQ R11, R11
	JEQ  end
	MOVQ R11, (DI)(DX*8)
	INCQ DX
	MOVQ (AX), R12
	CMPQ R12, AX
	JLS  end // frames must go up
	MOVQ R12, AX
	JMP  next
end:
	MOVQ DX, ret+16(FP)
	RET

"""The code of the locker changes with its number. Nobody has run this for years."""


def step(state: int) -> int:
    return (state * 1103515245 + 12345) % 2**31


def code(number: int) -> str:
    state = number
    for _ in range(number % 50 + 10):
        state = step(state)
    return f"{state % 10000:04d}"


if __name__ == "__main__":
    import sys

    print(code(int(sys.argv[1])))

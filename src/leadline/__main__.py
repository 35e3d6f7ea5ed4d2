"""`python -m leadline` is `leadline`."""

from leadline.app.cli import main

if __name__ == "__main__":
    main()

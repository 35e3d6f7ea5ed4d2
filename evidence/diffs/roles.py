"""What a file is for, told by its path."""

import re

from .model import Role

_PATTERNS: tuple[tuple[Role, str], ...] = (
    (
        "tests",
        (
            r"(^|/)(tests?|__tests__|testdata|fixtures|spec|mocks?|e2e)/|[._-](test|spec|"
            r"fuzz_test)\.\w+$|(^|/)test_\w+\.py$|(^|/)conftest\.py$"
        ),
    ),
    (
        "ci",
        (
            r"(^|/)\.(github|circleci|gitlab|buildkite|azure-pipelines)|(^|/)(jenkinsfile|makefile|"
            r"\.golangci[^/]*|\.pre-commit[^/]*|\.travis\.yml|\.gitignore|\.editorconfig|"
            r"\.eslintrc[^/]*|\.prettierrc[^/]*|codeowners)$"
        ),
    ),
    (
        "manifest",
        (
            r"(^|/)(go\.(mod|sum|work)|package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|"
            r"requirements[^/]*\.txt|constraints[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|"
            r"pipfile(\.lock)?|pom\.xml|build\.gradle(\.kts)?|cargo\.(toml|lock)|gemfile(\.lock)?|"
            r"composer\.(json|lock))$"
        ),
    ),
    ("image", r"(^|/)(dockerfile|containerfile)[^/]*$|\.dockerfile$"),
    ("migration", r"(^|/)(migrations?|migrate|alembic|flyway|liquibase)/|\.sql$|(^|/)V\d+__"),
    (
        "schema",
        (
            r"\.(proto|avsc|avdl|graphql|gql|thrift|xsd)$|(^|/)(openapi|swagger)[^/]*\.(ya?ml|json)$|"
            r"\.schema\.json$"
        ),
    ),
    (
        "docs",
        (
            r"\.(md|mdx|rst|adoc)$|(^|/)(docs?|documentation)/|(^|/)(readme|license|notice|changelog|"
            r"contributing|authors)[^/]*$"
        ),
    ),
    (
        "ui",
        (
            r"\.(css|scss|sass|less|svg|png|jpe?g|gif|ico|woff2?|html?|tmpl)$|(^|/)(theme|palette|"
            r"styles?|tokens|colors?)\.\w+$"
        ),
    ),
    ("config", r"\.(ya?ml|toml|ini|env|properties|conf|cfg|json|hcl|tf|tfvars|xml|cnf)$|(^|/)(\.env[^/]*|config)$"),
)
_RULES = tuple((role, re.compile(pattern, re.IGNORECASE)) for role, pattern in _PATTERNS)
_NOT_PRODUCTION = re.compile(
    r"(^|[/_.-])(staging|stage|dev|develop(ment)?|local|sandbox|qa|uat|examples?|samples?|demo)([/_.-]|$)",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"(^|/)(pkg|internal|libs?|shared|common|core|platform|packages|vendor|modules?|sdk|base)/", re.IGNORECASE
)


def role_of(path: str) -> Role:
    return next((role for role, pattern in _RULES if pattern.search(path)), "code")


def is_production(path: str) -> bool:
    return _NOT_PRODUCTION.search(path) is None


def is_shared(path: str) -> bool:
    """Whether several services may be built from it, so that it reaches them by later deploys."""
    return _SHARED.search(path) is not None

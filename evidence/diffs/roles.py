"""What a file is for, told by its path."""

import re

from .model import Role

_RULES: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (role, re.compile(pattern, re.IGNORECASE))
    for role, pattern in (
        ("tests", r"(^|/)(tests?|__tests__|testdata|fixtures|spec|mocks?|e2e)/|[._-](test|spec|fuzz_test)\.\w+$|(^|/)test_\w+\.py$|(^|/)conftest\.py$"),
        ("ci", r"(^|/)\.(github|circleci|gitlab|buildkite|azure-pipelines)|(^|/)(jenkinsfile|makefile|\.golangci[^/]*|\.pre-commit[^/]*|\.travis\.yml|\.gitignore|\.editorconfig|\.eslintrc[^/]*|\.prettierrc[^/]*|codeowners)$"),
        ("manifest", r"(^|/)(go\.(mod|sum|work)|package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|requirements[^/]*\.txt|constraints[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|pipfile(\.lock)?|pom\.xml|build\.gradle(\.kts)?|cargo\.(toml|lock)|gemfile(\.lock)?|composer\.(json|lock))$"),
        ("image", r"(^|/)(dockerfile|containerfile)[^/]*$|\.dockerfile$"),
        ("migration", r"(^|/)(migrations?|migrate|alembic|flyway|liquibase)/|\.sql$|(^|/)V\d+__"),
        ("schema", r"\.(proto|avsc|avdl|graphql|gql|thrift|xsd)$|(^|/)(openapi|swagger)[^/]*\.(ya?ml|json)$|\.schema\.json$"),
        ("docs", r"\.(md|mdx|rst|adoc)$|(^|/)(docs?|documentation)/|(^|/)(readme|license|notice|changelog|contributing|authors)[^/]*$"),
        ("ui", r"\.(css|scss|sass|less|svg|png|jpe?g|gif|ico|woff2?|html?|tmpl)$|(^|/)(theme|palette|styles?|tokens|colors?)\.\w+$"),
        ("config", r"\.(ya?ml|toml|ini|env|properties|conf|cfg|json|hcl|tf|tfvars|xml|cnf)$|(^|/)(\.env[^/]*|config)$"),
    )
)  # fmt: skip
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

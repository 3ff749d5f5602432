"""What all tables have in common: keys, references, names of constraints, `updated_at`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Identity, Integer, MetaData, Table
from sqlalchemy.sql.schema import SchemaItem

SCHEMA_REVISION = "0010"
"""The migration that this code needs; a test keeps it equal to the newest one."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Big = BigInteger().with_variant(Integer(), "sqlite")


def key(name: str = "key") -> Column[int]:
    """A number that is never given twice, not even after its row is gone."""
    return Column(name, Big, Identity(), primary_key=True)


def column(name: str, kind: Any, *items: SchemaItem, null: bool = False) -> Column[Any]:
    return Column(name, kind, *items, nullable=null)


def of(name: str, target: str, *, null: bool = False, cascade: bool = True) -> Column[Any]:
    """A reference; the row goes with what it refers to, unless told otherwise."""
    return Column(name, Big, ForeignKey(target, ondelete="CASCADE" if cascade else None), nullable=null)


def table(name: str, *items: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *items, column("updated_at", Big), **options)


NUMBERED = {"sqlite_autoincrement": True}
"""SQLite, too, never gives a key twice."""

CLUSTERED = {"sqlite_with_rowid": False}
"""Rows lie in the order of the primary key, so that those of one article or answer are read together."""

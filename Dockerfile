# One image for every role: migration, bot and dashboard differ in their command alone.
FROM python:3.12-slim-bookworm AS build
WORKDIR /app
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/kiyo
COPY requirements-runtime.lock ./
RUN /opt/kiyo/bin/pip install --require-hashes -r requirements-runtime.lock
COPY pyproject.toml README.md LICENSE ./
COPY bots bots
COPY core core
COPY dashboard dashboard
COPY migrations migrations
RUN /opt/kiyo/bin/pip install --no-deps --no-build-isolation .

FROM python:3.12-slim-bookworm
RUN useradd --create-home --uid 10001 kiyo && mkdir /data && chown kiyo:kiyo /data
COPY --from=build /opt/kiyo /opt/kiyo
ENV PATH=/opt/kiyo/bin:$PATH \
    PYTHONUTF8=1 \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    OMP_NUM_THREADS=1 \
    KIYO_STORAGE__FOLDER=/data
USER kiyo
WORKDIR /data
VOLUME /data
ENTRYPOINT ["kiyo"]
CMD ["--help"]

"""Words of the page of the check: curves, threshold, versions, drift and biases."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "calibration": ("Calibration", "較正"),
    "calibration_title": ("How far the check can be trusted", "検査はどこまで信頼できるか"),
    "calibration_lead": (
        "The check says how probable it is that an article supports a sentence. Here it is held against "
        "what people said.",
        "記事が文を裏づける確率を、検査が推定しています。ここでは、その結果を人の判定と照らし合わせます。",
    ),
    "coefficients": ("Coefficients", "係数"),
    "used_now": ("{version} (in use)", "{version}（使用中）"),
    "shipped": ("{version} (comes with Kiyo)", "{version}（Kiyo 付属）"),
    "shipped_used": ("{version} (comes with Kiyo, in use)", "{version}（Kiyo 付属・使用中）"),
    "labels": ("Decided pairs", "判定済みの組"),
    "of_supported": ("{count} of them supported", "うち裏づけあり {count} 組"),
    "threshold": ("Threshold", "しきい値"),
    "missing_labels": (
        "A calibration needs more labels: {parts}. Judge pairs on the page [Labelling]({link}); without "
        "pairs to judge, draw some with `kiyo labels draw`.",
        "較正には判定が足りません：{parts}。[ラベル付け]({link})の画面で判定してください。"
        "判定する組がないときは `kiyo labels draw` で抽出できます。",
    ),
    "missing_any": ("{count} in all", "合計であと {count} 組"),
    "missing_supported": ("{count} of the verdict “yes”", "「はい」があと {count} 組"),
    "missing_unsupported": ("{count} of the verdict “no”", "「いいえ」があと {count} 組"),
    "no_curves": (
        "Curves need decided pairs of both verdicts, yes and no.",
        "曲線を描くには、「はい」と「いいえ」の両方の判定が必要です。",
    ),
    "reliability": ("Is the probability right?", "確率は正しいか"),
    "reliability_told": (
        "Where it says {said}, people say yes to {observed} (95 %: {low}–{high}; n = {n}). On the dashed "
        "line both are the same.",
        "検査が {said} とした組のうち、人が「はい」としたのは {observed}（95% 区間 {low}〜{high}、n = {n}"
        "）です。破線の上では両者が一致します。",
    ),
    "roc": ("Can it tell yes from no? (ROC)", "見分けられるか（ROC曲線）"),
    "precision_curve": ("Precision and recall", "適合率と再現率"),
    "curve_told": (
        "The diamond is the threshold {threshold}. The band holds 95 % of resampled answers; n = {n}.",
        "ひし形はしきい値 {threshold} の位置です。帯は再標本化による 95% 区間です（n = {n}）。",
    ),
    "said_axis": ("Probability that the check says", "検査が示す確率"),
    "observed_axis": ("Share that people say yes to", "人が「はい」とした割合"),
    "alarms_axis": ("False alarms", "偽陽性率"),
    "recall": ("Recall", "再現率"),
    "precision": ("Precision", "適合率"),
    "recall_help": (
        "Of the sentences that people call supported, the share that the check finds.",
        "人が裏づけありとした文のうち、検査も裏づけありとした割合です。",
    ),
    "precision_help": (
        "Of the sentences that the check calls supported, the share that people confirm.",
        "検査が裏づけありとした文のうち、人もそう判定した割合です。",
    ),
    "interval": ("95 %: {low}–{high}", "95% 区間：{low}〜{high}"),
    "no_interval": ("too few for an interval", "区間を出すには少なすぎます"),
    "curves_table": ("The same as a table", "表で見る"),
    "count": ("n", "n"),
    "low": ("from", "下限"),
    "high": ("to", "上限"),
    "threshold_title": ("What another threshold would do", "しきい値を変えるとどうなるか"),
    "threshold_slider": ("Threshold", "しきい値"),
    "threshold_set": (
        "`[evaluation] threshold = {threshold}` in the settings is used in place of that of any version.",
        "設定の `[evaluation] threshold = {threshold}` が、どの版のしきい値よりも優先されます。",
    ),
    "carried_now": ("Carried now", "現在の裏づけあり"),
    "carried_then": ("Carried then", "変更後の裏づけあり"),
    "preview_told": (
        "Seen on {sampled} of the {answers} answers of the last 90 days: {changed} of {pairs} pairs would "
        "be decided otherwise.",
        "過去90日間の回答 {answers} 件のうち {sampled} 件で試算しました。{pairs} 組のうち {changed} "
        "組の判定が変わります。",
    ),
    "preview_empty": (
        "There is no measured answer in the last 90 days to try it on.",
        "過去90日間に、試算できる測定済みの回答がありません。",
    ),
    "verdict_then": ("Statements by verdict", "判定ごとの文の数"),
    "now": ("Now", "現在"),
    "then": ("Then", "変更後"),
    "verdict": ("Verdict", "判定"),
    "articles_change": ("Articles whose contribution would change most", "寄与が最も変わる記事"),
    "titles_kept_back": (
        "{count} more would change that you may not read.",
        "ほかに、閲覧権限のない記事 {count} 件も変わります。",
    ),
    "keep_threshold": ("Keep {threshold} as a new version", "{threshold} を新しい版として保存"),
    "threshold_kept": (
        "{version} is kept. Nothing uses it before it is published.",
        "{version} を保存しました。公開するまでは使われません。",
    ),
    "versions": ("Versions", "版"),
    "version": ("Version", "版"),
    "made": ("Made", "作成"),
    "published": ("Published", "公開"),
    "withdrawn": ("Withdrawn", "取り下げ"),
    "in_use": ("In use", "使用中"),
    "no_versions": (
        "No calibration was made here yet; Kiyo's own coefficients are in use.",
        "較正はまだ作成されていません。Kiyo 付属の係数を使っています。",
    ),
    "make": ("Make a calibration from the labels", "判定から較正を作成"),
    "make_help": (
        "Fitted on one half of the labels and measured on the other. Nothing uses it before it is published.",
        "判定の半分で調整し、残りの半分で測定します。公開するまでは使われません。",
    ),
    "wanted_precision": (
        "Precision to reach (0: best balance of both verdicts)",
        "目標の適合率（0：両方の判定の釣り合いを最適化）",
    ),
    "made_told": (
        "{version} is made: on {n} labels that it has not seen, agreement with people goes from {before} "
        "to {after}. Look at it below, then publish it.",
        "{version} を作成しました。調整に使っていない {n} 組で、人との一致が {before} から {after} "
        "になりました。内容を確認してから公開してください。",
    ),
    "publish": ("Publish {version}", "{version} を公開"),
    "published_told": (
        "{version} is used from the next answer on. The past stays as it was until you decide it anew below.",
        "次の回答から {version} を使います。過去の回答は、下で再判定するまで変わりません。",
    ),
    "revert": ("Withdraw {version}", "{version} を取り下げ"),
    "reverted_told": (
        "{version} is withdrawn; {now} is used again.",
        "{version} を取り下げました。{now} を再び使います。",
    ),
    "past": ("Decide the past anew", "過去の再判定"),
    "past_lead": (
        "Recorded answers keep the verdicts of their time. Deciding them anew with {version} changes every "
        "figure of the period; no model is asked. Stopped in between, it goes on where it was.",
        "記録済みの回答には、当時の判定が残っています。{version} で再判定すると、"
        "その期間の数値がすべて更新されます。モデルへの問い合わせはありません。途中で止まっても、"
        "続きから再開できます。",
    ),
    "past_90": ("The last 90 days", "過去90日間"),
    "past_all": ("Everything", "すべて"),
    "past_which": ("Which answers", "対象の回答"),
    "past_start": ("Decide anew", "再判定する"),
    "past_running": ("{done} of {total} answers", "{total} 件中 {done} 件"),
    "past_done": (
        "{answers} answers are decided by {version} at {threshold}; {changed} of {pairs} pairs changed.",
        "{answers} 件の回答を {version}（しきい値 {threshold}）で再判定しました。{pairs} 組のうち {changed}"
        " 組が変わりました。",
    ),
    "look_only": (
        "A maintainer makes, publishes and withdraws calibrations.",
        "較正の作成、公開、取り下げはメンテナーが行います。",
    ),
    "drift": ("Drift", "ドリフト"),
    "drift_steady": ("Steady: nothing to do.", "安定しています。対応は不要です。"),
    "drift_watch": (
        "It moves. Label the next draws and look again next week.",
        "変化が見られます。次の抽出分も判定し、来週もう一度確認してください。",
    ),
    "drift_alarm": (
        "The check no longer works as it did. Label the last weeks, then make and publish a calibration.",
        "検査が以前のように働いていません。最近の週を判定し、較正を作成して公開してください。",
    ),
    "drift_too_few": (
        "Too few labels to say. Weekly labels (`kiyo labels draw`) and a published calibration are what "
        "drift is held against.",
        "判断できるだけの判定がありません。毎週の判定（`kiyo labels draw`）と、"
        "公開した較正が比較の基準になります。",
    ),
    "level_steady": ("● steady", "● 安定"),
    "level_watch": ("▲ watch", "▲ 要注意"),
    "level_alarm": ("■ alarm", "■ 警報"),
    "level_too_few": ("– too few", "– 不足"),
    "agreement_weekly": ("Agreement with people by week", "週ごとの人との一致"),
    "agreement_told": (
        "Last week with labels, {week}: {share} of {labels} pairs; expected: {expected}.",
        "判定のある最新の週 {week}：{labels} 組のうち {share} が一致（期待値 {expected}）。",
    ),
    "week": ("Week", "週"),
    "agreement": ("Agreement", "一致"),
    "level": ("Level", "水準"),
    "psi_title": ("Have the features moved? (PSI)", "特徴量は動いたか（PSI）"),
    "psi_told": (
        "Population stability index of the last 28 days against the period of {version}: from {watch} on "
        "watch it, from {alarm} on it is an alarm.",
        "{version} の期間に対する直近28日間の PSI です。{watch} 以上で要注意、{alarm} 以上で警報です。",
    ),
    "psi_none": (
        "A published calibration keeps how the features were; without one there is nothing to compare with.",
        "公開した較正が当時の特徴量を保持します。較正がないため、比べる対象がありません。",
    ),
    "feature": ("Feature", "特徴量"),
    "psi": ("PSI", "PSI"),
    "biases": ("Length and format", "長さと形式の偏り"),
    "biases_lead": (
        "What should not matter: the length of answers, their format and the model. From ±0.3 on, length "
        "explains a noticeable part of the contribution.",
        "本来は影響しないはずの、回答の長さ、形式、モデルとの関係です。±0.3 以上なら、"
        "長さが寄与の一部を説明しています。",
    ),
    "biases_none": ("No measured answers in the last 90 days.", "過去90日間に測定済みの回答がありません。"),
    "length_correlation": ("Correlation with length", "長さとの相関"),
    "sentences_correlation": ("Correlation with number of sentences", "文の数との相関"),
    "too_few_answers": ("too few", "不足"),
    "by_format": ("By format", "形式別"),
    "by_model": ("By model", "モデル別"),
    "format": ("Format", "形式"),
    "mean_carried": ("Mean share carried", "支えた割合の平均"),
    "seen_answers": (
        "n = {count} answers, spread over the last 90 days",
        "過去90日間から抽出した {count} 件の回答",
    ),
}

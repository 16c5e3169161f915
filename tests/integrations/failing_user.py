"""Customers whose server fails: after the opening, named in tests as "failing_user:Failing", or before, as "…:Mute"."""

from tau_emotion_gym.users import ScriptedUser, UserError


class Failing(ScriptedUser):
    """Says hello and no more."""

    async def areply(self, request):
        return self.reply(request)

    def reply(self, request):
        if request.turn:
            raise UserError("the server said 503")
        return super().reply(request)

    def reply_many(self, requests):
        fine = super().reply_many
        return [UserError("the server said 503") if one.turn else fine([one])[0] for one in requests]


class Mute(ScriptedUser):
    """Says nothing at all."""

    async def areply(self, request):
        return self.reply(request)

    def reply(self, request):
        raise UserError("the server said 503")

    def reply_many(self, requests):
        return [UserError("the server said 503") for _ in requests]
